import { readdir } from 'node:fs/promises';

/**
 * `npm run bench` runs all benchmarks; `npm run bench -- queue read` runs those whose name is or starts with one of the
 * words (`queue`, `queue-curve`). Each benchmark prints ratios to a baseline measured in the same run, because absolute
 * figures depend on the machine.
 */
const words = process.argv.slice(2);
const matches = (word: string, name: string) => name === word || name.startsWith(`${word}-`);
const names = (await readdir(import.meta.dirname))
  .filter((file) => /^[a-z-]+\.bench\.ts$/.test(file))
  .map((file) => file.slice(0, -'.bench.ts'.length))
  .filter((name) => words.length === 0 || words.some((word) => matches(word, name)));

for (const word of words)
  if (!names.some((name) => matches(word, name))) throw new Error(`There is no benchmark '${word}'.`);
for (const name of names) {
  console.log(`\n# ${name}`);
  const { bench } = (await import(`./${name}.bench.ts`)) as { bench: () => Promise<void> };
  await bench();
}
