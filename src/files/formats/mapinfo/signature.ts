import { type Detected, type FileFormat, hasFile, latin1 } from '../file-format.ts';

function recognise(head: Buffer): Detected | undefined {
  const text = latin1(head);
  if (/^\s*!table\s/i.test(text))
    return {
      name: 'the .tab file of a MapInfo table',
      zipped: 'mapinfo',
      advice: 'Put it into a zip with its .dat, .map and .id files.',
    };
  return /^\s*Version\s+\d+\s[\s\S]{0,2000}?Columns\s+\d/i.test(text)
    ? { name: 'a MapInfo interchange file (.mif)', zipped: 'mapinfo', advice: 'Put it into a zip with its .mid file.' }
    : undefined;
}

export const mapInfoFormat: FileFormat = {
  format: 'mapinfo',
  extensions: ['.tab', '.mif'],
  recognise,
  recogniseZip: (names) =>
    hasFile(names, '.tab', '.mif') ? { format: 'mapinfo', name: 'a zip with MapInfo tables' } : undefined,
};
