'use strict';
// Who may use a connection: one at a time, in the order of coming.

class Gate {
  #held = false;
  #waiting = [];

  // Nothing if it is free, else a promise of one's turn. An AbortSignal ends the waiting.
  enter(signal) {
    if (!this.#held) {
      this.#held = true;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const entry = { resolve, leave: () => {} };
      if (signal) {
        const onAbort = () => {
          this.#waiting.splice(this.#waiting.indexOf(entry), 1);
          reject(signal.reason);
        };
        signal.addEventListener('abort', onAbort, { once: true });
        entry.leave = () => signal.removeEventListener('abort', onAbort);
      }
      this.#waiting.push(entry);
    });
  }

  leave() {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#held = false;
      return;
    }
    next.leave();
    next.resolve();
  }

  get free() {
    return !this.#held;
  }
}

module.exports = { Gate };
