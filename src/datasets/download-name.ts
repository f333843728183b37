import { writers } from '../formats/registry.ts';

/** What a dataset's bytes are saved as: its name with the extension of its format, which is not doubled. */
export function downloadName(name: string, datasetFormat: string): string {
  const extension = writers.find((writer) => writer.format === datasetFormat)?.extension ?? '';
  return name.toLowerCase().endsWith(extension.toLowerCase()) ? name : `${name}${extension}`;
}
