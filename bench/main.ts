import { readdir } from 'node:fs/promises';

/**
 * `npm run bench` runs all benchmarks one after the other, `npm run bench -- queue warp` only these and those that begin so
 * (`queue-curve`). Each file of this folder prints
 * ratios against a peer that it measures in the same run; absolute figures depend on the machine and its mood.
 */
const wanted = process.argv.slice(2);
const isMeant = (word: string, name: string) => name === word || name.startsWith(`${word}-`);
const names = (await readdir(import.meta.dirname))
  .filter((file) => /^[a-z-]+\.bench\.ts$/.test(file))
  .map((file) => file.slice(0, -'.bench.ts'.length))
  .filter((name) => wanted.length === 0 || wanted.some((word) => isMeant(word, name)));

for (const word of wanted)
  if (!names.some((name) => isMeant(word, name))) throw new Error(`There is no benchmark '${word}'.`);
for (const name of names) {
  console.log(`\n# ${name}`);
  const { bench } = (await import(`./${name}.bench.ts`)) as { bench: () => Promise<void> };
  await bench();
}
