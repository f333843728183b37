import { execFile } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Key and certificate for 127.0.0.1, signed by itself, and where the certificate is. Undefined: no openssl here. */
export async function makeCertificate() {
  const folder = await mkdtemp(join(tmpdir(), 'platform-certificate-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=A source', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  try {
    await promisify(execFile)('openssl', [...made, ...subject, '-keyout', key, '-out', cert]);
  } catch {
    return undefined;
  }
  return { folder, key: await readFile(key), cert: await readFile(cert), path: cert };
}
