/** A file of comma-separated values (RFC 4180). No value is an empty cell. */
export function csvFile(lines: readonly (readonly unknown[])[]): Blob {
  const cell = (value: unknown) => {
    const text = value === null || value === undefined ? '' : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return new Blob([lines.map((line) => line.map(cell).join(',')).join('\r\n'), '\r\n'], { type: 'text/csv' });
}

export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
