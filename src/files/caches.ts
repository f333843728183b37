/* Caches in memory. */

export { loadOnce } from './data/load-once.ts';
