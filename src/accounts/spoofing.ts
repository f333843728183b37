// UTS 39, 5.2: login ids satisfy the restriction level 'moderately restrictive', so that no id looks like another one
// by letters of another script: 'аdmin' with a Cyrillic а.

/**
 * Recommended scripts (UAX 31, table 5) that an id may mix with Latin. Cyrillic and Greek have too many Latin shapes.
 */
const BESIDE_LATIN =
  'Arab Armn Beng Bopo Deva Ethi Geor Gujr Guru Hang Hani Hebr Hira Kana Khmr Knda Laoo Mlym Mymr Orya Sinh Taml Telu Thaa Thai Tibt'.split(
    ' ',
  );
/** Scripts that an id may consist of, beside characters of no script. */
const COVERS = [
  ...BESIDE_LATIN.map((script) => ['Latn', script]),
  ['Latn', 'Hani', 'Hira', 'Kana'],
  ['Latn', 'Hani', 'Bopo'],
  ['Latn', 'Hani', 'Hang'],
  ['Cyrl'],
  ['Grek'],
];
const covered = COVERS.map(
  (scripts) => new RegExp(`^[${[...scripts, 'Zyyy', 'Zinh'].map((script) => `\\p{scx=${script}}`).join('')}]*$`, 'u'),
);
/** The identifier profile: letters, marks, digits, and the ASCII characters of e-mail addresses and names. */
const UNUSUAL = /[^\p{L}\p{M}\p{Nd}\x20-\x7e\u00b7\u2019]|\p{Default_Ignorable_Code_Point}/u;

/** Why a login id may be taken for another one, or undefined. */
export function spoofingProblem(id: string): string | undefined {
  const unusual = UNUSUAL.exec(id)?.[0] ?? compatible(id);
  if (unusual !== undefined) return `The login id '${id}' has the character ${codePoint(unusual)}. ${ALLOWED}`;
  if (!covered.some((pattern) => pattern.test(id)))
    return `The login id '${id}' has letters of several scripts, which may look alike, or of a rare one. Use one script.`;
  return undefined;
}

const ALLOWED = 'Use letters, digits and the usual signs such as . _ - + @ and blanks.';

/** The first character that is another form of others, such as full-width letters. */
const compatible = (id: string): string | undefined =>
  [...id.normalize('NFC')].find((character) => character.normalize('NFKC') !== character.normalize('NFC'));

const codePoint = (character: string) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
