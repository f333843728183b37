import type { Config } from '../../config.ts';
import { secretPartOf } from '../../platform/settings/setting-kinds.ts';
import { SETTINGS } from '../../platform/settings/settings.ts';

/** Shorter values would also hide words. */
const SHORTEST = 4;

/** Secrets of the settings: values, and passwords and parameters of addresses. */
function secretsOf(config: Config): string[] {
  return Object.entries(SETTINGS).flatMap(([name, schema]) => {
    const value = config[name as keyof typeof SETTINGS];
    const part = secretPartOf(schema);
    if (value === undefined || part === undefined) return [];
    if (part === 'whole') return textsIn(value);
    const { password, searchParams } = new URL(String(value));
    return [password, decodeURIComponent(password), ...searchParams.values()];
  });
}

const textsIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [String(value)];

/** Replaces secrets of the settings, which errors of servers and libraries may repeat. */
export function withoutSecrets(config: Config): (text: string) => string {
  const secrets = secretsOf(config)
    .filter((secret) => secret.length >= SHORTEST)
    .sort((one, other) => other.length - one.length);
  return (text) => secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text);
}
