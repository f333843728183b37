import type { ByteSource } from '../../data/bytes.ts';
import { ConversionError, FormatError } from '../../errors.ts';
import { type Context, SEVERAL_LAYERS } from '../define.ts';
import { localName, parseXml, type XmlHandler } from '../io/xml.ts';
import { shown, type ZipEntry, zipEntries } from '../io/zip.ts';
import { checkUnpackedSize, UnpackedEntry } from '../io/zip-entry.ts';
import { type CellFormat, formatOf } from './cell-format.ts';

/** Characters of all texts that cells share, which are held in memory. */
const mostText = 1 << 27;
const mostSheets = 10_000;

export interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
  readonly entry: ZipEntry;
}

/** The parts of a workbook (ECMA-376, SpreadsheetML), which is a zip. */
export class Workbook {
  readonly sheets: readonly Sheet[];
  /** Days count from 1904-01-01, not from 1899-12-31. */
  readonly from1904: boolean;
  readonly #zip: ByteSource;
  readonly #entries: ReadonlyMap<string, ZipEntry>;
  readonly #context: Context;

  private constructor({ zip, entries, context }: Parts, { sheets, from1904 }: Pick<Workbook, 'sheets' | 'from1904'>) {
    this.#zip = zip;
    this.#entries = entries;
    this.#context = context;
    this.sheets = sheets;
    this.from1904 = from1904;
  }

  static async open(zip: ByteSource, context: Context): Promise<Workbook> {
    const all = await zipEntries(zip);
    const entries = new Map(all.map((entry) => [entry.name.toLowerCase(), entry]));
    const parts = { zip, entries, context };
    return new Workbook(parts, await readSheets(parts));
  }

  /** The sheet that is named, in any letter case, else the only visible one that has values. */
  async choose(wanted: string | undefined): Promise<Sheet> {
    const names = (list: readonly Sheet[]) =>
      list
        .slice(0, 50)
        .map(({ name }) => shown(name))
        .join(', ');
    if (wanted !== undefined) {
      const found =
        this.sheets.find(({ name }) => name === wanted) ??
        this.sheets.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
      if (found !== undefined) return found;
      throw new ConversionError(`The workbook has no sheet '${shown(wanted)}'. Sheets: ${names(this.sheets)}.`);
    }
    const filled: Sheet[] = [];
    for (const sheet of this.sheets) if (!sheet.isHidden && (await this.#hasValues(sheet))) filled.push(sheet);
    const hidden = this.sheets.filter(({ isHidden }) => isHidden);
    if (filled.length > 1)
      throw new ConversionError(
        `The workbook has ${filled.length} sheets. Choose one with Layer: ${names(filled)}.`,
        SEVERAL_LAYERS,
      );
    if (filled[0] === undefined)
      throw new FormatError(
        hidden.length === 0
          ? 'The workbook has no values.'
          : `The visible sheets of the workbook have no values. Hidden ones can be chosen with Layer: ${names(hidden)}.`,
      );
    if (hidden.length > 0) this.#context.reportLoss(`Hidden sheets were left out: ${names(hidden)}.`);
    return filled[0];
  }

  /** Reads a part from front to back; yields after each piece. */
  parse(entry: ZipEntry, handler: XmlHandler): AsyncGenerator<number> {
    return parsePart({ zip: this.#zip, entries: this.#entries, context: this.#context }, entry, handler);
  }

  async #hasValues({ entry }: Sheet): Promise<boolean> {
    let found = false;
    const handler = {
      open(name: string) {
        if (name === 'v' || name === 't') found = true;
      },
      text() {},
      close() {},
    };
    for await (const _ of this.parse(entry, handler)) if (found) return true;
    return found;
  }

  /** The texts that cells share, by number. */
  async readTexts(): Promise<string[]> {
    const entry = this.#entries.get('xl/sharedstrings.xml');
    const texts: string[] = [];
    if (entry === undefined) return texts;
    let length = 0;
    const collector = new TextCollector();
    const handler = {
      open: (name: string) => collector.open(name),
      text: (text: string) => collector.add(text),
      close() {
        if (collector.close() !== 'si') return;
        const text = collector.take();
        length += text.length;
        if (length > mostText)
          throw new FormatError(`The texts of the workbook have more than ${mostText} characters.`);
        texts.push(text);
      },
    };
    for await (const _ of this.parse(entry, handler)) this.#context.signal.throwIfAborted();
    return texts;
  }

  /** The formats of cells by the number of their style. */
  async readFormats(): Promise<CellFormat[]> {
    const entry = this.#entries.get('xl/styles.xml');
    const formats: CellFormat[] = [];
    if (entry === undefined) return formats;
    const codes = new Map<number, string>();
    const open: string[] = [];
    const handler = {
      open(name: string, attributes: Readonly<Record<string, string>>) {
        if (name === 'numFmt' && open.at(-1) === 'numFmts')
          codes.set(Number(attributes.numFmtId), attributes.formatCode ?? '');
        if (name === 'xf' && open.at(-1) === 'cellXfs') {
          const id = Number(attributes.numFmtId ?? 0);
          formats.push(formatOf(id, codes.get(id)));
        }
        open.push(name);
      },
      text() {},
      close: () => void open.pop(),
    };
    for await (const _ of this.parse(entry, handler)) this.#context.signal.throwIfAborted();
    return formats;
  }
}

/** Collects the text of an element with runs (`t` in `r`), without the hints of pronunciation (`rPh`). */
export class TextCollector {
  readonly #open: string[] = [];
  #text = '';
  #silent = 0;

  /** The innermost element that is open. */
  get innermost(): string | undefined {
    return this.#open.at(-1);
  }

  open(name: string): void {
    this.#open.push(name);
    if (name === 'rPh') this.#silent++;
  }

  add(text: string): void {
    if (this.#silent === 0 && this.#open.at(-1) === 't') this.#text += text;
  }

  /** Returns the name of the element that ends. */
  close(): string | undefined {
    const name = this.#open.pop();
    if (name === 'rPh') this.#silent--;
    return name;
  }

  take(): string {
    const text = this.#text;
    this.#text = '';
    return unescaped(text);
  }
}

/** Control characters are written as `_x000D_`. */
export const unescaped = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([\da-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;

interface Parts {
  readonly zip: ByteSource;
  readonly entries: ReadonlyMap<string, ZipEntry>;
  readonly context: Context;
}

async function* parsePart({ zip, context }: Parts, entry: ZipEntry, handler: XmlHandler): AsyncGenerator<number> {
  await checkUnpackedSize([entry], context.scratch);
  await using part = await UnpackedEntry.open(zip, entry, context.scratch);
  yield* parseXml(part, handler, context.signal);
}

async function readSheets(parts: Parts): Promise<Pick<Workbook, 'sheets' | 'from1904'>> {
  const workbook = parts.entries.get('xl/workbook.xml');
  if (workbook === undefined) throw new FormatError('The file is no workbook of Excel: it has no xl/workbook.xml.');
  const listed: { name: string; id: string; isHidden: boolean }[] = [];
  let from1904 = false;
  const handler = {
    open(name: string, attributes: Readonly<Record<string, string>>) {
      if (name === 'workbookPr') from1904 = isTrue(attributes.date1904);
      if (name !== 'sheet') return;
      if (listed.length >= mostSheets) throw new FormatError(`The workbook has more than ${mostSheets} sheets.`);
      const key = Object.keys(attributes).find((one) => one.includes(':') && localName(one) === 'id');
      listed.push({
        name: unescaped(attributes.name ?? ''),
        id: key === undefined ? '' : attributes[key]!,
        isHidden: (attributes.state ?? 'visible') !== 'visible',
      });
    },
    text() {},
    close() {},
  };
  for await (const _ of parsePart(parts, workbook, handler)) parts.context.signal.throwIfAborted();
  const targets = await readTargets(parts);
  const sheets = listed.flatMap(({ id, ...sheet }): Sheet[] => {
    const { target, type } = targets.get(id) ?? {};
    // Sheets of charts have no cells.
    if (target === undefined || type !== 'worksheet') return [];
    const entry = parts.entries.get(target);
    if (entry === undefined)
      throw new FormatError(`The sheet '${shown(sheet.name)}' is missing in the zip (${shown(target)}).`);
    return [{ ...sheet, entry }];
  });
  return { sheets, from1904 };
}

export const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true';

/** Paths in the zip, in lower case, and types of what the workbook refers to. */
async function readTargets(parts: Parts): Promise<Map<string, { target: string; type: string }>> {
  const targets = new Map<string, { target: string; type: string }>();
  const entry = parts.entries.get('xl/_rels/workbook.xml.rels');
  if (entry === undefined) return targets;
  const handler = {
    open(name: string, { Id = '', Target = '', Type = '' }: Readonly<Record<string, string>>) {
      if (name !== 'Relationship') return;
      const { pathname } = new URL(Target, 'zip:///xl/');
      targets.set(Id, { target: pathname.slice(1).toLowerCase(), type: Type.slice(Type.lastIndexOf('/') + 1) });
    },
    text() {},
    close() {},
  };
  for await (const _ of parsePart(parts, entry, handler)) parts.context.signal.throwIfAborted();
  return targets;
}
