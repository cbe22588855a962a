// A TCP proxy that counts the bytes of both directions, and holds them back for half the latency each way.

import net from 'node:net';

// Passes bytes on after `delay` milliseconds, in their order; the sender is not slowed down below that.
function passOn(from, to, delay, count) {
  from.on('data', (chunk) => {
    count(chunk.length);
    if (delay === 0) {
      if (!to.write(chunk)) {
        from.pause();
        to.once('drain', () => from.resume());
      }
      return;
    }
    setTimeout(() => to.write(chunk), delay);
  });
  from.on('end', () => setTimeout(() => to.end(), delay));
  from.on('error', () => to.destroy());
  from.on('close', () => setTimeout(() => to.destroySoon(), delay));
}

// latency: milliseconds of a round trip; that of the TCP handshake is not added.
export async function startProxy(port, latency) {
  const counts = { sent: 0, received: 0, connections: 0, turns: 0 };
  const sockets = new Set();
  const server = net.createServer({ noDelay: true }, (client) => {
    ++counts.connections;
    const upstream = net.connect({ port, host: '127.0.0.1', noDelay: true });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    }
    // Turns: how often the client spoke after the server had, or first. Without pipelining, its round trips.
    let clientSpoke = false;
    passOn(client, upstream, latency / 2, (n) => {
      counts.sent += n;
      if (!clientSpoke) ++counts.turns;
      clientSpoke = true;
    });
    passOn(upstream, client, latency / 2, (n) => {
      counts.received += n;
      clientSpoke = false;
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    counts,
    reset() {
      Object.assign(counts, { sent: 0, received: 0, connections: 0, turns: 0 });
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
