/**
 * Characters that change the direction of the text behind them: a file `U+202E gpj.exe` is shown as `exe.jpg` (UAX 9,
 * 2.1 to 2.5). The marks U+200E, U+200F and U+061C, which texts in Arabic and Hebrew need, are none of them.
 */
const BIDI_CONTROL = /[\u202a-\u202e\u2066-\u2069]/;
const ALL = /[\u202a-\u202e\u2066-\u2069]/g;

/** Sentence about a member whose text has them. */
export const NO_BIDI_CONTROLS =
  'must not contain characters that change the direction of text (U+202A to U+202E, U+2066 to U+2069)';

export const hasBidiControls = (text: string): boolean => BIDI_CONTROL.test(text);

/** For names that files contain: nobody chose them here, so they are not refused. */
export const withoutBidiControls = (text: string): string => text.replace(ALL, '');
