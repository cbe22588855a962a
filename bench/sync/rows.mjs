// The rows of the workloads: four columns, about 190 bytes of data, the same for every engine (seeded).
// `events` are what an application writes of its users' doings: sentences with places and numbers in them, and a
// little JSON. `prose` has the same lengths, but its words follow each other at random: no compressor finds much.

import { below, random } from '../js/common.mjs';

export const SCHEMA =
  'CREATE TABLE event(id INTEGER PRIMARY KEY, author TEXT NOT NULL, body TEXT NOT NULL, meta TEXT NOT NULL)';

const GIVEN = ['Ada', 'Bela', 'Carmen', 'Davide', 'Elin', 'Farid', 'Greta', 'Hiro', 'Ines', 'Jonas', 'Katja', 'Liang', 'Mara', 'Noor', 'Oskar', 'Priya'];
const FAMILY = ['Almeida', 'Berg', 'Costa', 'Dahl', 'Eriksen', 'Fuchs', 'Garcia', 'Haddad', 'Ivanova', 'Jansen', 'Kowalski', 'Lindqvist'];
const PLACES = ['the Wadden Sea', 'Cape Reinga', 'the Yellow Sea', 'Alaska', 'the Banc d\'Arguin', 'Tasmania', 'Lake Neusiedl', 'the Camargue'];
const SENTENCES = [
  (a, b, n) => `added a sighting of ${n} birds at ${a}, moving towards ${b} in the early morning`,
  (a, b, n) => `changed the count of the survey at ${a} to ${n} after comparing it with ${b}`,
  (a, b, n) => `shared the list of ${n} rings read at ${a} with the group that works at ${b}`,
  (a, b, n) => `commented on photo ${n}: the light at ${a} is not what it was at ${b} last year`,
];
const DEVICES = ['pixel-8', 'iphone-15', 'ipad-air', 'thinkpad'];
const WORDS = ('about above across after again along autumn beach before below birds boat branch bright brown calm cliff cloud coast cold count crane '
  + 'current dark dawn delta distance drift dusk early east edge estuary evening feather field flight flock flood fog fresh gale grass gravel '
  + 'grey harbour haze heavy high hill horizon island joined lagoon late leaf light listed long lower marsh meadow midday mist moon mud near nest '
  + 'night north observed ocean open over pale passed plover pond quiet rain reed reef ridge river rock salt sand season shallow shore silent '
  + 'slow small snow south spring stone storm strait stream summer tall tide turned under upper valley warm water wave west white wide wind winter').split(' ');

export function eventRows(count, seed, text = 'events') {
  const next = random(seed);
  const pick = (list) => list[below(next, list.length)];
  const prose = (length) => {
    let out = pick(WORDS);
    while (out.length < length) out += ` ${pick(WORDS)}`;
    return out.slice(0, length);
  };
  return Array.from({ length: count }, (_, i) => {
    const author = `${pick(GIVEN)} ${pick(FAMILY)}`;
    const body = text === 'prose' ? prose(88) : pick(SENTENCES)(pick(PLACES), pick(PLACES), 2 + below(next, 4000));
    const at = new Date(1760000000000 + i * 61000 + below(next, 60000)).toISOString();
    const meta = JSON.stringify({ device: pick(DEVICES), version: `2.${below(next, 4)}.1`, at, offline: next() < 0.2 });
    return [i + 1, author, body, meta];
  });
}
