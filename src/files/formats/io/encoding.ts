/** Decodes bytes that are not all ASCII. */
export type Decode = (bytes: Uint8Array) => string;

/** DOS code pages that TextDecoder does not support: characters of bytes 128 to 255. */
const dosPages: Readonly<Record<string, string>> = {
  '437':
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\xa0',
  '850':
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\xad±‗¾¶§÷¸°¨·¹³²■\xa0',
  '852':
    'ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\xad˝˛ˇ˘§÷¸°¨˙űŘř■\xa0',
  '857':
    'ÇüéâäàåçêëèïîıÄÅÉæÆôöòûùİÖÜø£ØŞşáíóúñÑĞğ¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ºªÊËÈ�ÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµ�×ÚÛÙìÿ¯´\xad±�¾¶§÷¸°¨·¹³²■\xa0',
  '860':
    'ÇüéâãàÁçêÊèÍÔìÃÂÉÀÈôõòÚùÌÕÜ¢£Ù₧ÓáíóúñÑªº¿Ò¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\xa0',
  '861':
    'ÇüéâäàåçêëèÐðÞÄÅÉæÆôöþûÝýÖÜø£Ø₧ƒáíóúÁÍÓÚ¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\xa0',
  '863':
    'ÇüéâÂà¶çêëèïî‗À§ÉÈÊôËÏûù¤ÔÜ¢£ÙÛƒ¦´óú¨¸³¯Î⌐¬½¼¾«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\xa0',
  '865':
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø₧ƒáíóúñÑªº¿⌐¬½¼¡«¤░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\xa0',
  '737':
    'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρσςτυφχψ░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀ωάέήϊίόύϋώΆΈΉΊΌΎΏ±≥≤ΪΫ÷≈°∙·√ⁿ²■\xa0',
  '775':
    'ĆüéāäģåćłēŖŗīŹÄÅÉæÆōöĢ¢ŚśÖÜø£Ø×¤ĀĪóŻżź”¦©®¬½¼Ł«»░▒▓│┤ĄČĘĖ╣║╗╝ĮŠ┐└┴┬├─┼ŲŪ╚╔╩╦╠═╬Žąčęėįšųūž┘┌█▄▌▐▀ÓßŌŃõÕµńĶķĻļņĒŅ’\xad±“¾¶§÷„°∙·¹³²■\xa0',
};

/** Code page → its language bytes of a dBase file (language driver IDs), from the lists of Esri and FoxPro. */
const pageLanguages: Readonly<Record<string, readonly number[]>> = {
  '437': [1, 9, 11, 13, 15, 17, 21, 24, 25, 27, 37],
  '737': [106, 134],
  '850': [2, 10, 14, 16, 18, 20, 22, 26, 29, 55],
  '852': [31, 34, 35, 64, 100, 135],
  '857': [107, 136],
  '860': [36],
  '861': [103],
  '863': [28, 108],
  '865': [8, 23, 102],
  '866': [38, 101],
  '874': [80, 124],
  '932': [19, 123],
  '936': [77, 122],
  '949': [78, 121],
  '950': [79, 120],
  '1250': [200],
  '1251': [201],
  '1252': [3, 87, 88, 89],
  '1253': [203],
  '1254': [202],
  '1257': [204],
  '10007': [150],
};

/** Code page → label for TextDecoder, where it is not `windows-<page>`. */
const windowsPages: Readonly<Record<string, string>> = {
  '866': 'ibm866',
  '874': 'windows-874',
  '932': 'shift_jis',
  '936': 'gbk',
  '949': 'euc-kr',
  '950': 'big5',
  '10007': 'x-mac-cyrillic',
  '20866': 'koi8-r',
  '65001': 'utf-8',
};

/** An encoding, and how a sentence names it. */
export interface Encoding {
  readonly name: string;
  readonly decode: Decode;
}

/**
 * The encoding with a label of the WHATWG Encoding Standard in any letter case, or with the number of a code page:
 * `UTF-8`,
 * `ISO-8859-1`, `88591`, `CP1251`, `IBM850`, `ANSI 1252`. Undefined for other words.
 */
export function findEncoding(label: string): Encoding | undefined {
  const word = label.trim();
  const iso = /^(?:iso[ _-]?)?8859[ _-]?(\d{1,2})$/i.exec(word);
  const page = /^(?:(?:cp|windows|ansi|oem|ibm|dos)[ _-]?)?(\d{3,5})$/i.exec(word);
  if (iso !== null) return labelled(`iso-8859-${iso[1]}`);
  return page === null ? labelled(word) : encodingOfPage(page[1]!);
}

/** The encoding that a .cpg file names in other letters than the standard does, such as `big-5` and `LDID/87`. */
export function encodingLike(word: string): Encoding | undefined {
  const language = /^LDID\/(\d{1,3})$/i.exec(word);
  if (language !== null) return encodingOfLanguage(Number(language[1]));
  if (/^utf-?8\b/i.test(word)) return labelled('utf-8');
  const spellings = ['', '_', '-'].map((mark) => word.replace(/[\s_-]+/g, mark));
  return spellings.map(findEncoding).find((found) => found !== undefined);
}

/** The encoding of a language byte; undefined if the byte declares no code page. */
export function encodingOfLanguage(language: number): Encoding | undefined {
  const page = Object.entries(pageLanguages).find(([, languages]) => languages.includes(language))?.[0];
  return page === undefined ? undefined : encodingOfPage(page);
}

function encodingOfPage(page: string): Encoding | undefined {
  const upper = dosPages[page];
  if (upper === undefined) return labelled(windowsPages[page] ?? `windows-${page}`);
  const decode = (bytes: Uint8Array) => {
    let text = '';
    for (const byte of bytes) text += byte < 128 ? String.fromCharCode(byte) : upper[byte - 128];
    return text;
  };
  return { name: `IBM${page}`, decode };
}

function labelled(label: string): Encoding | undefined {
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(label, { ignoreBOM: true });
  } catch {
    return undefined;
  }
  return { name: decoder.encoding, decode: (bytes) => decoder.decode(bytes) };
}
