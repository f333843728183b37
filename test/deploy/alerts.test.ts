/** Rule tests of the alerts; `promtool`, where it is in the PATH, runs them: go install …/prometheus/cmd/promtool. */
import { execFile, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { parse } from 'yaml';

const run = promisify(execFile);
const folder = new URL('../../deploy/prometheus/', import.meta.url);
const read = async (file: string) => parse(await readFile(new URL(file, folder), 'utf8'));
const names = readdirSync(new URL('tests/', folder)).map((file) => `tests/${file}`);

interface RuleTest {
  promql_expr_test: { exp_samples: { labels: string }[] }[];
}

test('each alert has a series on which it fires', async (t) => {
  const [{ rules }] = (await read('alerts.yaml')).groups;
  const tests: RuleTest[] = (await read('tests/firing.yaml')).tests;
  const expected = tests.flatMap(({ promql_expr_test: checks }) =>
    checks.flatMap(({ exp_samples: samples }) => samples.map(({ labels }) => /alertname="(\w+)"/.exec(labels)?.[1])),
  );
  t.deepEqual([...new Set(expected)].sort(), rules.map(({ alert }: { alert: string }) => alert).sort());
});

const checks = spawnSync('promtool', ['--version']).status === 0 ? test : test.skip;

checks('promtool accepts the alerts, which fire on their series and not on those of a healthy platform', async (t) => {
  const path = (file: string) => fileURLToPath(new URL(file, folder));
  await run('promtool', ['check', 'rules', path('alerts.yaml')]);
  t.true(names.length >= 2);
  await run('promtool', ['test', 'rules', ...names.map(path)]);
});
