import { readFile } from 'node:fs/promises';
import { convert } from '../../src/formats/convert.ts';

/** Converts as its arguments say and prints the most memory that was ever resident, in MB. */
const [request] = process.argv.slice(2);
await convert(JSON.parse(request!), { progress() {}, log() {}, signal: new AbortController().signal });
// What resourceUsage says begins with the memory of the process that started this one; Linux has the true figure.
const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
const highest = /^VmHWM:\s+(\d+) kB/m.exec(status)?.[1];
console.log(highest === undefined ? process.resourceUsage().maxRSS / 1024 : Number(highest) / 1024);
