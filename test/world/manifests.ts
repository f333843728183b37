import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments, stringify } from 'yaml';

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url));
export const MANIFESTS = new URL('../../deploy/kubernetes/platform.yaml', import.meta.url);
const RELEASE = ['platform', `${deploy}helm`, '--namespace', 'platform', '--values', `${deploy}kubernetes/values.yaml`];

/** An object of Kubernetes, as far as the manifests need it. */
interface Manifest {
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  spec?: { template?: Manifest };
}

/** The chart as plain manifests, for people without helm. Needs `helm` in the PATH. */
export function renderManifests(): string {
  const text = execFileSync('helm', ['template', ...RELEASE], { encoding: 'utf8' });
  const objects: Manifest[] = parseAllDocuments(text).flatMap((document) => document.toJS() ?? []);
  const head = `# Written by \`npm run manifests\`; do not edit. Of the chart in deploy/helm: ${digestOfChart()}\n`;
  return head + objects.map((object) => stringify(withoutHelm(object), { lineWidth: 0 })).join('---\n');
}

/** Changes when a file changes that the manifests are made of, so that a test without helm sees that they are old. */
export function digestOfChart(): string {
  const hash = createHash('sha256').update(readFileSync(`${deploy}kubernetes/values.yaml`));
  for (const file of globSync('**/*.{yaml,tpl}', { cwd: `${deploy}helm` }).sort())
    hash
      .update(file.replaceAll('\\', '/'))
      .update(readFileSync(`${deploy}helm/${file}`, 'utf8').replaceAll('\r\n', '\n'));
  return hash.digest('hex');
}

/** Labels and annotations that only helm reads. */
function withoutHelm(object: Manifest): Manifest {
  const { labels = {}, annotations = {} } = object.metadata;
  for (const name of Object.keys(labels)) if (isOfHelm(name, labels)) delete labels[name];
  for (const name of Object.keys(annotations)) if (isOfHelm(name, annotations)) delete annotations[name];
  if (Object.keys(annotations).length === 0) delete object.metadata.annotations;
  if (object.spec?.template?.metadata !== undefined) withoutHelm(object.spec.template);
  return object;
}

const isOfHelm = (name: string, { [name]: value }: Record<string, string>) =>
  name.startsWith('helm.sh/') || (name === 'app.kubernetes.io/managed-by' && value === 'Helm');

if (import.meta.main) writeFileSync(MANIFESTS, renderManifests());
