'use strict';

const Database = require('./database');

// The asynchronous API is loaded when it is first asked for.
Object.defineProperty(Database, 'connect', {
  value: (path, options) => require('./promise').connect(path, options),
});

module.exports = Database;
