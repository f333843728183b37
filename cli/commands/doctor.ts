import { readFileSync } from 'node:fs';
import { type Config, ConfigError, loadConfig, showSettings } from '../../src/config.ts';
import { type Check, ill, well } from '../../src/operations/doctor/check.ts';
import { checkNode } from '../../src/operations/doctor/checks/machine.ts';
import { examine } from '../../src/operations/doctor/doctor.ts';
import { withoutSecrets } from '../../src/operations/doctor/without-secrets.ts';
import { withPresentDatabase } from '../../src/platform/postgres/with-database.ts';
import { printChecks } from '../checks-answer.ts';
import type { Io } from '../io.ts';

/** Checks what the platform of the settings needs. Throws `ChecksFailed` if something is not well. */
export async function doctor(io: Io, stop: AbortSignal): Promise<void> {
  const first: Check[] = [{ name: 'node', ...checkNode(nodeOfPackage()) }];
  const config = readSettings(io, first);
  if (config === undefined) return printChecks(io, first);
  const { KUBERNETES_SERVICE_HOST: serviceHost, KUBERNETES_SERVICE_PORT: servicePort } = io.env;
  const checks = await examine(config, { serviceHost, servicePort }, (work) =>
    withPresentDatabase(config, { name: 'platform doctor', stop }, work),
  );
  const hide = withoutSecrets(config);
  printChecks(io, [...first, ...checks.map((check) => ({ ...check, message: hide(check.message) }))]);
}

const nodeOfPackage = (): string =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).engines.node;

/** Undefined if they are wrong; then they are a check. */
function readSettings(io: Io, checks: Check[]): Config | undefined {
  try {
    const config = loadConfig(io.env);
    const given = showSettings(config).filter(({ source }) => source !== 'default');
    checks.push({
      name: 'settings',
      ...well(given.length === 0 ? 'All have their defaults.' : `Set: ${given.map(({ name }) => name).join(', ')}.`),
    });
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    checks.push({
      name: 'settings',
      ...ill(error.message.replaceAll('\n', ' '), 'Correct or remove them; the guide lists all settings.'),
    });
    return undefined;
  }
}
