'use strict';
// Carries the requests of a replica: HTTP/1.1 on connections that stay open, with no header that the
// server can do without. What is lost or refused for now is sent again, which the server notices; a token that
// is a function is asked anew after a 401. The answer is handed on in pieces, and the next piece is read when
// the one before has been taken.

const http = require('http');
const https = require('https');
const zlib = require('zlib');

const PIECE_BYTES = 256 * 1024;
const RETRIED = new Set([408, 425, 429, 500, 502, 503, 504]);
const DECODERS = { gzip: zlib.createGunzip, deflate: zlib.createInflate, br: zlib.createBrotliDecompress };

// A failure of the network, as opposed to an answer that says no.
class NetworkError extends Error {
  constructor(cause) {
    super(`sync: ${cause.message || cause.code}`, { cause });
    this.name = 'NetworkError';
    this.code = cause.code ?? 'ERR_NETWORK';
  }
}

function absolute(url) {
  return url.replace(/^(libsql|turso):\/\//, 'https://');
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => { clearTimeout(timer); reject(signal.reason); };
    const timer = setTimeout(() => { signal?.removeEventListener('abort', stop); resolve(); }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

// The delay that the server asks for, in milliseconds; 0: none.
function retryAfter(headers) {
  const seconds = Number(typeof headers.get === 'function' ? headers.get('retry-after') : headers['retry-after']);
  return seconds > 0 ? Math.min(seconds, 60) * 1000 : 0;
}

class Transport {
  #token;
  #tokenKnown;
  #fetch;
  #agents = {};
  #retry;
  #timeout;
  #tls;

  constructor({ authToken, fetch, retry, requestTimeoutMs, longPollTimeoutMs, tls }) {
    this.#token = authToken;
    this.#fetch = fetch;
    this.#retry = { attempts: 3, delayMs: 250, backoff: 2, ...retry };
    this.#timeout = (requestTimeoutMs ?? 30000) + (longPollTimeoutMs ?? 0);
    this.#tls = tls;
  }

  // `begin()` when an answer begins that will be handed on, take(status, bytes, isLast) for each piece of it.
  // It may begin again: then the answer before has been cut off.
  async send(request, { signal, attempts = this.#retry.attempts, take, begun }) {
    let asked = false;
    for (let attempt = 1; ; ++attempt) {
      let delay = this.#retry.delayMs * this.#retry.backoff ** (attempt - 1) * (0.75 + Math.random() / 2);
      let answer;
      try {
        answer = await this.#once(request, signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (attempt >= attempts) throw new NetworkError(error);
        await pause(delay, signal);
        continue;
      }
      if (answer.status === 401 && typeof this.#token === 'function' && !asked) {
        asked = true;
        this.#tokenKnown = undefined;
        answer.discard();
        --attempt;
        continue;
      }
      if (RETRIED.has(answer.status) && attempt < attempts) {
        answer.discard();
        delay = Math.max(delay, retryAfter(answer.headers));
        await pause(delay, signal);
        continue;
      }
      begun?.();
      try {
        await handOn(answer, take);
        return;
      } catch (error) {
        signal?.throwIfAborted();
        // What take() throws is the replica's word; all else is the network's.
        if (error instanceof Taken) throw error.cause;
        if (attempt >= attempts) throw new NetworkError(error);
        await pause(delay, signal);
      }
    }
  }

  async #headersOf(request) {
    const headers = { ...request.headers };
    if (this.#token === undefined || this.#token === null) return headers;
    if (typeof this.#token === 'function') this.#tokenKnown ??= await this.#token();
    const token = typeof this.#token === 'function' ? this.#tokenKnown : this.#token;
    if (token) headers.authorization = `Bearer ${token}`;
    return headers;
  }

  async #once(request, signal) {
    const headers = await this.#headersOf(request);
    if (this.#fetch) return this.#byFetch(request, headers, signal);
    const url = new URL(absolute(request.url));
    try {
      return await this.#byHttp(url, request, headers, signal);
    } catch (error) {
      // The server had closed the connection while it lay idle.
      if (error.reused && !signal?.aborted) return this.#byHttp(url, request, headers, signal);
      throw error;
    }
  }

  async #byFetch(request, headers, signal) {
    const limit = AbortSignal.timeout(this.#timeout);
    const response = await this.#fetch(absolute(request.url), {
      method: request.method, headers, body: request.body.length > 0 ? request.body : undefined,
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    return {
      status: response.status,
      headers: response.headers,
      body: response.body ?? [],
      discard: () => { response.body?.cancel().catch(() => {}); },
    };
  }

  #byHttp(url, request, headers, signal) {
    const secure = url.protocol === 'https:';
    if (!secure && url.protocol !== 'http:') throw new TypeError(`sync: ${url.protocol} is not supported`);
    const agent = this.#agents[url.protocol] ??= new (secure ? https : http).Agent({ keepAlive: true, noDelay: true, ...this.#tls });
    return new Promise((resolve, reject) => {
      const sent = (secure ? https : http).request(url, { method: request.method, agent, signal, timeout: this.#timeout });
      for (const [name, value] of Object.entries(headers)) sent.setHeader(name, value);
      sent.setHeader('content-length', request.body.length);
      // HTTP/1.1 keeps connections without being told.
      sent.removeHeader('connection');
      sent.on('timeout', () => sent.destroy(Object.assign(new Error('the server does not answer'), { code: 'ETIMEDOUT' })));
      sent.on('error', (error) => reject(Object.assign(error, { reused: sent.reusedSocket })));
      sent.on('response', (response) => {
        const decoder = DECODERS[response.headers['content-encoding']];
        const body = decoder ? response.pipe(decoder()) : response;
        if (decoder) response.on('error', (error) => body.destroy(error));
        resolve({
          status: response.statusCode,
          headers: response.headers,
          body,
          discard: () => { response.on('error', () => {}); response.resume(); },
        });
      });
      sent.end(request.body);
    });
  }

  close() {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }
}

class Taken extends Error {}

async function handOn(answer, take) {
  const give = async (bytes, isLast) => {
    try {
      await take(first ? answer.status : 0, bytes, isLast);
      first = false;
    } catch (error) {
      answer.discard();
      throw Object.assign(new Taken(), { cause: error });
    }
  };
  let first = true;
  let pieces = [];
  let size = 0;
  for await (const piece of answer.body) {
    pieces.push(piece);
    size += piece.length;
    if (size < PIECE_BYTES) continue;
    await give(Buffer.concat(pieces, size), false);
    pieces = [];
    size = 0;
  }
  await give(Buffer.concat(pieces, size), true);
}

// A fetch that repeats: for `fetch`, which is not repeated otherwise when it is given by the application.
function retryFetch({ attempts = 3, delayMs = 500, backoff = 2, fetch: inner = fetch } = {}) {
  return async (url, options) => {
    for (let attempt = 1; ; ++attempt) {
      try {
        const response = await inner(url, options);
        if (attempt >= attempts || (response.status !== 429 && response.status < 500)) return response;
        await response.body?.cancel();
      } catch (error) {
        if (attempt >= attempts || options?.signal?.aborted) throw error;
      }
      await pause(delayMs * backoff ** (attempt - 1), options?.signal);
    }
  };
}

module.exports = { NetworkError, Transport, retryFetch };
