'use strict';
module.exports = require('./database');
