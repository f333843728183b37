import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Access, FileOrText } from './access.ts';

/** https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/ */
const Kubeconfig = z.object({
  'current-context': z.string().min(1),
  contexts: z.array(
    z.object({
      name: z.string(),
      context: z.object({ cluster: z.string(), user: z.string(), namespace: z.string().optional() }),
    }),
  ),
  clusters: z.array(
    z.object({
      name: z.string(),
      cluster: z.object({
        server: z.url({ protocol: /^https$/ }),
        'certificate-authority': z.string().optional(),
        'certificate-authority-data': z.string().optional(),
        'insecure-skip-tls-verify': z.boolean().optional(),
        'tls-server-name': z.string().optional(),
      }),
    }),
  ),
  users: z.array(
    z.object({
      name: z.string(),
      user: z.object({
        token: z.string().optional(),
        tokenFile: z.string().optional(),
        'client-certificate': z.string().optional(),
        'client-certificate-data': z.string().optional(),
        'client-key': z.string().optional(),
        'client-key-data': z.string().optional(),
        exec: z.object({ command: z.string() }).optional(),
        'auth-provider': z.unknown().optional(),
      }),
    }),
  ),
});

/**
 * The current context of a kubeconfig.
 * @throws Error with a sentence that names the file
 */
export async function readKubeconfig(path: string): Promise<Access> {
  const wrong = (why: string) => new Error(`The kubeconfig ${path} ${why}`);
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw wrong(`cannot be read: ${error.message}.`);
  });
  const parsed = Kubeconfig.safeParse(parseYaml(text, wrong));
  if (!parsed.success) {
    const [{ path: member, message } = { path: [], message: '' }] = parsed.error.issues;
    throw wrong(`is not usable: ${member.join('.')}: ${message}.`);
  }
  const { 'current-context': current, contexts, clusters, users } = parsed.data;
  const context = contexts.find(({ name }) => name === current)?.context;
  if (context === undefined) throw wrong(`has no context '${current}', which is its current-context.`);
  const cluster = clusters.find(({ name }) => name === context.cluster)?.cluster;
  if (cluster === undefined) throw wrong(`has no cluster '${context.cluster}', which context '${current}' names.`);
  const user = users.find(({ name }) => name === context.user)?.user;
  if (user === undefined) throw wrong(`has no user '${context.user}', which context '${current}' names.`);
  if (user.exec !== undefined || user['auth-provider'] !== undefined)
    throw wrong(
      `gets its credentials from ${user.exec ? `the program '${user.exec.command}'` : 'an auth-provider'}, which this platform does not run. Use the token of a service account.`,
    );
  const from = (file: string | undefined, text: string | undefined): FileOrText | undefined => {
    if (text !== undefined) return { text };
    return file === undefined ? undefined : { file: resolve(dirname(path), file) };
  };
  const decoded = (base64: string | undefined) => base64 && Buffer.from(base64, 'base64').toString();
  return {
    server: cluster.server.replace(/\/$/, ''),
    namespace: context.namespace,
    ca: from(cluster['certificate-authority'], decoded(cluster['certificate-authority-data'])),
    token: from(user.tokenFile, user.token),
    certificate: from(user['client-certificate'], decoded(user['client-certificate-data'])),
    key: from(user['client-key'], decoded(user['client-key-data'])),
    serverName: cluster['tls-server-name'],
    insecure: cluster['insecure-skip-tls-verify'],
  };
}

function parseYaml(text: string, wrong: (why: string) => Error): unknown {
  try {
    return parse(text);
  } catch (error) {
    // only the first line: the others repeat the text, which contains the credentials
    throw wrong(`is not YAML: ${(error as Error).message.split('\n', 1)[0]}`);
  }
}
