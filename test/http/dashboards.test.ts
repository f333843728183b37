import { readdir, readFile } from 'node:fs/promises';
import test from 'ava';
import { parse } from 'yaml';
import { ownWorld } from '../world.ts';

const w = ownWorld(test);
const root = new URL('../../', import.meta.url);
const text = (path: string) => readFile(new URL(path, root), 'utf8');

/** Expressions of PromQL, by where they stand. */
async function expressions(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const file of await readdir(new URL('deploy/grafana/', root))) {
    const { panels } = JSON.parse(await text(`deploy/grafana/${file}`));
    for (const { title, targets = [] } of panels)
      for (const { refId, expr } of targets) found.set(`${file}: ${title} ${refId}`, expr);
  }
  for (const { rules } of parse(await text('deploy/prometheus/alerts.yaml')).groups)
    for (const { alert, expr } of rules) found.set(alert, expr);
  return found;
}

/** Names of metrics in an expression, without the suffixes of histograms. */
const namesIn = (expression: string) =>
  [...expression.replace(/"[^"]*"/g, '').matchAll(/\b(platform|process|nodejs)_\w+/g)].map(([name]) =>
    name.replace(/(_seconds)_(bucket|count|sum)$/, '$1'),
  );

async function knownMetrics(): Promise<string[]> {
  const { raw } = await w.nobody.send({ method: 'GET', url: '/metrics', remoteAddress: '127.0.0.1' });
  return [...raw.toString().matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
}

test('dashboards and alerts name only metrics that exist', async (t) => {
  const known = new Set(await knownMetrics());
  const all = await expressions();
  t.true(all.size > 50);
  for (const [place, expression] of all) {
    const names = namesIn(expression);
    t.not(names.length, 0, place);
    for (const name of names) t.true(known.has(name), `${place}: ${name}`);
  }
});

test('each metric is in the table of the guide, and those of the platform in a dashboard or alert', async (t) => {
  const guide = await text('docs/guide/operations.md');
  const used = new Set([...(await expressions()).values()].flatMap(namesIn));
  for (const name of await knownMetrics()) {
    if (/^(process|nodejs)_/.test(name)) continue;
    t.true(guide.includes(`\`${name}\``), `${name} is not in the guide`);
    t.true(used.has(name), `${name} is in no dashboard and no alert`);
  }
  t.true(guide.includes('`process_…`, `nodejs_…`'));
});

test('each alert says what to do, and leads to a heading of the guide', async (t) => {
  const headings = new Set(
    [...(await text('docs/guide/operations.md')).matchAll(/^##+ (.*)$/gm)].map(([, heading = '']) =>
      heading.toLowerCase().replaceAll(' ', '-'),
    ),
  );
  const [{ rules }] = parse(await text('deploy/prometheus/alerts.yaml')).groups;
  t.true(rules.length >= 15);
  t.is(new Set(rules.map(({ alert }: { alert: string }) => alert)).size, rules.length);
  for (const { alert, labels, annotations } of rules) {
    t.regex(labels.severity, /^(warning|critical)$/, alert);
    t.regex(annotations.summary, /\.$/, alert);
    t.regex(annotations.description, /\.$/, alert);
    const [, anchor = ''] = /^\/docs\/guide\/operations#(.+)$/.exec(annotations.runbook_url) ?? [];
    t.true(headings.has(anchor), `${alert}: ${annotations.runbook_url}`);
  }
});
