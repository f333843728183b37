import { priceTexts as words } from '../texts/convert.ts';

interface PriceProps {
  /** 0: it is free. */
  credits: number;
  /** The longest time that it may take. */
  seconds: number | undefined;
  warnings: readonly string[];
}

/** What a conversion costs and how long it may take, before it is started. */
export const Price = ({ credits, seconds, warnings }: PriceProps) => (
  <p class="small">
    <b>{credits > 0 ? words.price(credits) : words.free}</b> {seconds !== undefined && words.limits(seconds)}{' '}
    {warnings.join(' ')}
  </p>
);
