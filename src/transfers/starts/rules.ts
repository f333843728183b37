import { readers, writers } from 'hydrofiles';
import type { Config } from '../../config.ts';
import { checkPriceNames, type Prices } from '../../credits/prices.ts';
import { SERVICES } from '../../http/rules/versions.ts';
import { checkGateNames, Gates } from '../../licensing/gates.ts';

/** Licence and credit rules for the tenant of a transfer. */
export interface StartRules {
  /** Readers and writers that need a feature. */
  gates: Gates;
  prices: Prices;
  /** Milliseconds that a transfer may run. */
  timeLimit: number;
}

/** Throws if a gate or a price names what does not exist. */
export function startRules(
  settings: Pick<Config, 'features.gates' | 'credits.prices' | 'transfers.timeLimit'>,
): StartRules {
  const prices = settings['credits.prices'];
  const formats = [...readers, ...writers].map(({ name }) => name);
  checkGateNames(settings['features.gates'], [...Object.keys(SERVICES), ...formats]);
  checkPriceNames(prices, formats);
  return { gates: new Gates(settings['features.gates']), prices, timeLimit: settings['transfers.timeLimit'] };
}
