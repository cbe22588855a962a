// Tables in Markdown and plots in SVG.

import { execFileSync } from 'node:child_process';
import { median, spread } from './common.mjs';

const number = (value) => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3));

export function time(nanoseconds) {
  if (!Number.isFinite(nanoseconds)) return '-';
  if (nanoseconds >= 1e6) return `${number(nanoseconds / 1e6)} ms`;
  return nanoseconds >= 1e3 ? `${number(nanoseconds / 1e3)} µs` : `${number(nanoseconds)} ns`;
}

export function bytes(count) {
  if (count >= 1e6) return `${number(count / 1e6)} MB`;
  return count >= 1e3 ? `${number(count / 1e3)} KB` : `${count} B`;
}

export function commit(folder) {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: folder, encoding: 'utf8' }).trim();
  } catch {
    return '?';
  }
}

export function table(header, rows) {
  return [header, header.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

const unique = (values) => [...new Set(values)];

export function microTable(results) {
  return table(['workload', 'engine', 'operations/s', 'processor time', 'p50', 'p95', 'p99', 'p99.9'], results.map((r) => [r.workload, r.engine,
    number(r.perSecond), time(r.cpu), time(r.p50), time(r.p95), time(r.p99), time(r.p999)]));
}

export function concurrentTable(results) {
  return table(['scenario', 'threads', 'role', 'engine', 'operations/s', 'p50', 'p99', 'p99.9', 'busy errors'],
    results.map((r) => [r.scenario, r.threads, r.role, r.engine, number(r.perSecond), time(r.p50), time(r.p99), time(r.p999), r.errors]));
}

export function prodTable(results) {
  return table(['query', 'engine', 'operations/s', 'p50', 'p95', 'p99', 'p99.9', 'busy errors'],
    results.map((r) => [r.query, r.engine, number(r.perSecond), time(r.p50), time(r.p95), time(r.p99), time(r.p999), r.errors]));
}

// Of several runs: the median of each measure, and the spread of the throughput.
export function consolidate(runs, keys) {
  const groups = new Map();
  for (const result of runs.flat()) {
    const key = JSON.stringify(keys.map((name) => result[name]));
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(result);
  }
  return [...groups.values()].map((group) => {
    const merged = { ...group[0], runs: group.length, spread: spread(group.map((r) => r.perSecond)) };
    for (const measure of ['perSecond', 'cpu', 'mean', 'p50', 'p95', 'p99', 'p999', 'max']) {
      if (group[0][measure] === undefined) continue;
      merged[measure] = median(group.map((r) => r[measure]));
    }
    return merged;
  });
}

// A row for each case, a column for each engine, and Godwit's ratio to the best of the others.
export function comparison(results, caseOf, measure = 'perSecond', lower = false) {
  const engines = unique(results.map((r) => r.engine));
  const show = lower ? time : number;
  const rows = unique(results.map(caseOf)).map((name) => {
    const of = (engine) => results.find((r) => caseOf(r) === name && r.engine === engine);
    const cells = engines.map((engine) => {
      const r = of(engine);
      return r ? `${show(r[measure])}${lower ? '' : ` ±${Math.round(r.spread * 100)}%`}` : '-';
    });
    const others = engines.filter((engine) => engine !== 'godwit').map(of).filter(Boolean);
    const mine = of('godwit');
    let ratio = '-';
    if (mine && others.length) {
      const best = others.reduce((a, b) => ((lower ? a[measure] <= b[measure] : a[measure] >= b[measure]) ? a : b));
      const factor = lower ? best[measure] / mine[measure] : mine[measure] / best[measure];
      ratio = `${factor.toFixed(2)} (${best.engine})`;
    }
    return [name, ...cells, ratio];
  });
  return table(['', ...engines, 'godwit / best other'], rows);
}

const COLORS = ['#0b7285', '#e8590c', '#5f3dc4', '#2b8a3e', '#c2255c', '#495057'];

function frame(title, body, width, height) {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
    'font-family="sans-serif" font-size="12">\n<rect width="100%" height="100%" fill="white"/>\n' +
    `<text x="${width / 2}" y="20" text-anchor="middle" font-size="15">${title}</text>\n${body.join('\n')}\n</svg>\n`;
}

// Lines over given points of the x axis: series = [{ name, points: [[x, y], ...] }]. With `log`, y is logarithmic.
export function lineChart(title, { xLabels, yTitle, series, log = false, format = number }) {
  const width = 640, height = 360, left = 90, right = 150, top = 40, bottom = 40;
  const values = series.flatMap(({ points }) => points.map(([, y]) => y)).filter((y) => y > 0);
  const scale = log ? Math.log10 : (y) => y;
  const low = log ? Math.floor(Math.log10(Math.min(...values))) : 0;
  const high = log ? Math.ceil(Math.log10(Math.max(...values))) : Math.max(...values) * 1.05;
  const x = (i) => left + (xLabels.length === 1 ? 0.5 : i / (xLabels.length - 1)) * (width - left - right);
  const y = (value) => height - bottom - ((scale(value) - low) / (high - low || 1)) * (height - top - bottom);
  const body = [];
  const marks = log ? Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i)) : [0, 1, 2, 3, 4].map((i) => (high * i) / 4);
  for (const mark of marks) {
    const at = log ? y(mark) : height - bottom - (mark / high) * (height - top - bottom);
    body.push(`<line x1="${left}" x2="${width - right}" y1="${at}" y2="${at}" stroke="#dee2e6"/>`,
      `<text x="${left - 6}" y="${at + 4}" text-anchor="end">${format(mark)}</text>`);
  }
  xLabels.forEach((label, i) => body.push(`<text x="${x(i)}" y="${height - bottom + 18}" text-anchor="middle">${label}</text>`));
  body.push(`<text x="14" y="${top - 6}" fill="#495057">${yTitle}</text>`);
  series.forEach(({ name, points }, i) => {
    const color = COLORS[i % COLORS.length];
    body.push(`<polyline fill="none" stroke="${color}" stroke-width="2" points="${points.map(([at, value]) => `${x(at)},${y(value)}`).join(' ')}"/>`);
    for (const [at, value] of points) body.push(`<circle cx="${x(at)}" cy="${y(value)}" r="3" fill="${color}"/>`);
    body.push(`<rect x="${width - right + 14}" y="${top + i * 20}" width="12" height="12" fill="${color}"/>`,
      `<text x="${width - right + 32}" y="${top + 10 + i * 20}">${name}</text>`);
  });
  return frame(title, body, width, height);
}

// Bars beside each other, on a logarithmic axis: series = [{ name, values: one for each label }].
export function barChart(title, { labels, series, format = number }) {
  const width = 760, left = 210, right = 90, top = 60, bar = 14, gap = 14;
  const group = series.length * bar + gap;
  const values = series.flatMap((one) => one.values).filter((value) => value > 0);
  const low = Math.floor(Math.log10(Math.min(...values)) - 0.3);
  const high = Math.log10(Math.max(...values));
  const body = series.flatMap(({ name }, i) => [
    `<rect x="${left + i * 120}" y="32" width="12" height="12" fill="${COLORS[i % COLORS.length]}"/>`,
    `<text x="${left + 18 + i * 120}" y="42">${name}</text>`]);
  labels.forEach((label, row) => {
    const y = top + row * group;
    body.push(`<text x="${left - 8}" y="${y + (series.length * bar) / 2 + 4}" text-anchor="end">${label}</text>`);
    series.forEach((one, i) => {
      const length = Math.max(1, ((Math.log10(one.values[row]) - low) / (high - low)) * (width - left - right));
      body.push(`<rect x="${left}" y="${y + i * bar}" width="${length}" height="${bar - 2}" fill="${COLORS[i % COLORS.length]}"/>`,
        `<text x="${left + length + 5}" y="${y + i * bar + 10}" font-size="11">${format(one.values[row])}</text>`);
    });
  });
  return frame(`${title} (logarithmic)`, body, width, top + labels.length * group);
}

export function latencyChart(title, results) {
  const steps = ['p50', 'p95', 'p99', 'p999', 'max'];
  return lineChart(title, {
    xLabels: ['p50', 'p95', 'p99', 'p99.9', 'max'], yTitle: 'latency', log: true, format: time,
    series: results.map((r) => ({ name: r.engine, points: steps.map((step, i) => [i, r[step]]) })),
  });
}

export function threadsChart(title, results) {
  const threads = unique(results.map((r) => r.threads)).sort((a, b) => a - b);
  return lineChart(title, {
    xLabels: threads.map((n) => `${n} threads`), yTitle: 'operations/s',
    series: unique(results.map((r) => r.engine)).map((name) => ({
      name,
      points: results.filter((r) => r.engine === name).map((r) => [threads.indexOf(r.threads), r.perSecond]),
    })),
  });
}
