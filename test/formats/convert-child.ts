import { peakKb } from '../../bench/peak.ts';
import { convert } from '../../src/convert/convert.ts';

/** Converts as its arguments say and prints the most memory that was ever resident, in MB. */
const [request] = process.argv.slice(2);
await convert(JSON.parse(request!), { progress() {}, log() {}, signal: new AbortController().signal });
console.log(peakKb() / 1024);
