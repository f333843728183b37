import { loadGroup } from '../../world/load-group.ts';

loadGroup(import.meta.url);
