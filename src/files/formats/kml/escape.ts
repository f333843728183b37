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
