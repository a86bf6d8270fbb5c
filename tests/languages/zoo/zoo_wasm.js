// Runs the WebAssembly module named by the argument.
const bytes = require("fs").readFileSync(process.argv[2]);
console.log(new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.rounds());
