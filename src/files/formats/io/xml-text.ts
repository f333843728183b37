/** Characters that XML 1.0 cannot hold, also as references: control characters and halves of surrogate pairs. */
const forbidden = /(?![\t\n\r\x7f-\x9f])\p{Cc}|[\p{Cs}\ufffe\uffff]/u;
const special = /[&<>"\r]|(?![\t\n\x7f-\x9f])\p{Cc}|[\p{Cs}\ufffe\uffff]/gu;

// A carriage return would be read as a line feed.
const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

export const hasForbidden = (text: string): boolean => forbidden.test(text);

/** Text for an element or attribute of XML. */
export const escaped = (text: string): string => text.replace(special, (found) => references[found] ?? '\ufffd');

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Text of XML with its entities replaced; unknown ones stay. */
export const withoutEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w{1,8}));/g, (whole, decimal, hexadecimal, name) => {
    if (name !== undefined) return entities[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
