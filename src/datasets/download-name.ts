import { writers } from '../formats/registry.ts';

/** What a dataset's bytes are saved as: its name, safe for file systems, with the extension of its format, which is not doubled. */
export function downloadName(datasetName: string, datasetFormat: string): string {
  const name = datasetName.replace(/[/\\]/g, '_');
  const extension = writers.find((writer) => writer.format === datasetFormat)?.extension ?? '';
  return name.toLowerCase().endsWith(extension.toLowerCase()) ? name : `${name}${extension}`;
}
