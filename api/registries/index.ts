import type { ApiDeps, App } from '../deps.ts';
import { createRegistry } from './create-registry.ts';
import { deleteRegistry } from './delete-registry.ts';
import { getRegistry } from './get-registry.ts';
import { listRegistries } from './list-registries.ts';
import { putRegistry } from './put-registry.ts';

export function registries(app: App, deps: ApiDeps): void {
  listRegistries(app, deps);
  createRegistry(app, deps);
  getRegistry(app, deps);
  putRegistry(app, deps);
  deleteRegistry(app, deps);
}
