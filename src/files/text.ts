/* Dates, names and search words as text. */

export { searchWords, wordRank } from './crs/word-rank.ts';
export { hasBidiControls, NO_BIDI_CONTROLS, withoutBidiControls } from './data/bidi-controls.ts';
export { clockText, parseUtc } from './data/date-text.ts';
