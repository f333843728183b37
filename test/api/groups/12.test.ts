import { loadGroup } from './load.ts';

loadGroup(12);
