#!/usr/bin/env node
console.log("hi", process.version, process.argv.slice(2))
