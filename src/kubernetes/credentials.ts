import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Access, FileOrText } from './access.ts';
import { readKubeconfig } from './kubeconfig.ts';

/** The present contents of an `Access`. */
export interface Secrets {
  ca: string | undefined;
  token: string | undefined;
  certificate: string | undefined;
  key: string | undefined;
}

/** Where the kubelet puts the credentials of a pod's service account; it replaces the token before it expires. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface AccessSettings {
  /** Path. Undefined: the service account of this pod. */
  kubeconfig: string | undefined;
  /** `KUBERNETES_SERVICE_HOST` and `KUBERNETES_SERVICE_PORT`, which each pod has. */
  serviceHost: string | undefined;
  servicePort: string | undefined;
}

/** @throws Error with a sentence if there are no credentials, or if they cannot be used */
export async function findAccess({ kubeconfig, serviceHost, servicePort }: AccessSettings): Promise<Access> {
  if (kubeconfig !== undefined) return readKubeconfig(kubeconfig);
  if (serviceHost === undefined)
    throw new Error(
      'This process runs in no pod of Kubernetes. Set PLATFORM_KUBERNETES_KUBECONFIG to the path of a kubeconfig.',
    );
  const host = serviceHost.includes(':') ? `[${serviceHost}]` : serviceHost;
  const namespace = await readFile(join(SERVICE_ACCOUNT, 'namespace'), 'utf8').catch(() => undefined);
  return {
    server: `https://${host}:${servicePort ?? '443'}`,
    namespace: namespace?.trim(),
    ca: { file: join(SERVICE_ACCOUNT, 'ca.crt') },
    token: { file: join(SERVICE_ACCOUNT, 'token') },
  };
}

/** Reads the files anew. */
export async function readSecrets({ ca, token, certificate, key }: Access): Promise<Secrets> {
  const [caText, tokenText, certificateText, keyText] = await Promise.all([ca, token, certificate, key].map(read));
  return { ca: caText, token: tokenText?.trim(), certificate: certificateText, key: keyText };
}

async function read(from: FileOrText | undefined): Promise<string | undefined> {
  if (from === undefined) return undefined;
  return 'text' in from ? from.text : readFile(from.file, 'utf8');
}
