import { count } from '../client/format.ts';

/** Words of all that asks what a conversion makes, and tells what it costs. */
export const systemTexts = {
  system: 'Coordinate system',
  found: 'Found coordinate systems',
  noneFound: 'No coordinate system has this name or code.',
};

export const priceTexts = {
  checking: 'Asking for the price …',
  price: (credits: number) => `Price: ${count(credits, 'credit')}`,
  free: 'It costs no credits.',
  limits: (seconds: number) => `It may take ${count(Math.ceil(seconds / 60), 'minute')} at most.`,
};
