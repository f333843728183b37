import { zipOf } from '../shapefiles.ts';

export interface MadeSheet {
  readonly name: string;
  readonly state?: 'hidden' | 'veryHidden';
  /** Content of `worksheet`, or the rows alone if it begins with one. */
  readonly content: string;
}

export interface MadeWorkbook {
  readonly sheets: readonly MadeSheet[];
  readonly from1904?: boolean;
  /** Items `si` of the texts that cells share. */
  readonly texts?: string;
  /** Codes of formats with their numbers. */
  readonly codes?: Readonly<Record<number, string>>;
  /** Numbers of formats by style. */
  readonly styles?: readonly number[];
}

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** The files of a workbook as Excel writes them. */
export function workbookOf({ sheets, from1904 = false, texts, codes = {}, styles = [0] }: MadeWorkbook): Buffer {
  const sheetList = sheets.map(
    ({ name, state }, n) =>
      `<sheet name="${name}" sheetId="${n + 1}"${state === undefined ? '' : ` state="${state}"`} r:id="rId${n + 1}"/>`,
  );
  const targets = sheets.map(
    (_, n) => `<Relationship Id="rId${n + 1}" Type="${relations}/worksheet" Target="worksheets/sheet${n + 1}.xml"/>`,
  );
  const formats = Object.entries(codes).map(([id, code]) => `<numFmt numFmtId="${id}" formatCode="${code}"/>`);
  const files: Record<string, string> = {
    '[Content_Types].xml': `${head}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
    'xl/workbook.xml': `${head}<workbook ${main} xmlns:r="${relations}"><workbookPr${from1904 ? ' date1904="1"' : ''}/><sheets>${sheetList.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${head}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets.join('')}</Relationships>`,
    'xl/styles.xml': `${head}<styleSheet ${main}><numFmts>${formats.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${styles.map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`,
    ...(texts === undefined ? {} : { 'xl/sharedStrings.xml': `${head}<sst ${main}>${texts}</sst>` }),
  };
  for (const [n, { content }] of sheets.entries())
    files[`xl/worksheets/sheet${n + 1}.xml`] =
      `${head}<worksheet ${main}>${content.startsWith('<row') ? `<sheetData>${content}</sheetData>` : content}</worksheet>`;
  return zipOf(Object.entries(files).map(([name, text]) => ({ name, bytes: Buffer.from(text) })));
}

type Cell = string | number | boolean | undefined | { readonly xml: string };

/** Rows with inline texts; further cells as XML. */
export const rowsOf = (...rows: readonly (readonly Cell[])[]): string =>
  rows
    .map(
      (cells, r) =>
        `<row r="${r + 1}">${cells.map((cell, c) => cellXml(cell, `${letters[c]}${r + 1}`)).join('')}</row>`,
    )
    .join('');

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

function cellXml(cell: Cell, r: string): string {
  if (cell === undefined) return '';
  if (typeof cell === 'object') return cell.xml.replace('<c', `<c r="${r}"`);
  if (typeof cell === 'string') return `<c r="${r}" t="inlineStr"><is><t>${cell}</t></is></c>`;
  return typeof cell === 'boolean' ? `<c r="${r}" t="b"><v>${cell ? 1 : 0}</v></c>` : `<c r="${r}"><v>${cell}</v></c>`;
}

export const styled = (value: number | string, style: number): Cell => ({ xml: `<c s="${style}"><v>${value}</v></c>` });
