import { effect, signal } from '@preact/signals';
import { shared } from '../client/address.ts';

export type Theme = 'light' | 'dark' | 'system';

const STORED = shared('theme');
const tabs = new BroadcastChannel(STORED);
const stored = localStorage.getItem(STORED);

/** The colours that the reader has chosen, in all tabs. */
export const theme = signal<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system');

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  localStorage.setItem(STORED, chosen);
  tabs.postMessage(chosen);
}

tabs.onmessage = ({ data }: MessageEvent<Theme>) => {
  theme.value = data;
};

effect(() => {
  if (theme.value === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
});
