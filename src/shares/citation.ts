import type { OpenShare } from './queries.ts';

export interface Citation {
  text: string;
  bibtex: string;
  /** DataCite Metadata Schema 4.6, as its JSON. */
  datacite: Record<string, unknown>;
}

/** How to cite a dataset: publisher, year of the last change, name, address of the link. */
export function cite({ publisher, year, name, description }: OpenShare, url: string): Citation {
  return {
    text: `${publisher} (${year}): ${name} [dataset]. ${url}`,
    bibtex: [
      `@misc{dataset${year},`,
      `  author = {{${braced(publisher)}}},`,
      `  title = {${braced(name)}},`,
      `  year = {${year}},`,
      `  publisher = {${braced(publisher)}},`,
      `  howpublished = {\\url{${url}}}`,
      '}',
    ].join('\n'),
    datacite: {
      schemaVersion: 'http://datacite.org/schema/kernel-4',
      creators: [{ name: publisher, nameType: 'Organizational' }],
      titles: [{ title: name }],
      publisher: { name: publisher },
      publicationYear: String(year),
      types: { resourceTypeGeneral: 'Dataset' },
      url,
      ...(description === undefined ? {} : { descriptions: [{ description, descriptionType: 'Abstract' }] }),
    },
  };
}

/** Characters that mean something to BibTeX or LaTeX. */
const SPECIAL: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '{': '\\{',
  '}': '\\}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
};
const braced = (text: string) => text.replace(/[\\{}~^$&%#_]/g, (mark) => SPECIAL[mark] ?? `\\${mark}`);
