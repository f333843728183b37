import { peakKb } from '../../bench/peak.ts';
import { convert } from '../../src/files/convert/convert.ts';

/** Program: runs the conversion in its arguments and prints the peak resident memory in MB. */
const [request] = process.argv.slice(2);
await convert(JSON.parse(request!), { progress() {}, log() {}, signal: new AbortController().signal });
console.log(peakKb() / 1024);
