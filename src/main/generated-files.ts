import { stringify } from 'yaml';
import { ownKinds } from '../rules/own-kinds.ts';
import { crdOf } from '../store/kubernetes/crd.ts';

/** What is made from the schemas and kept beside them, by path. */
export function generatedFiles(): Map<string, string> {
  return new Map(
    ownKinds.map((kind) => [
      `deploy/chart/crds/${kind.plural}.yaml`,
      `# Made by "npm run generate" from the schemas in src/rules.\n${stringify(crdOf(kind), { aliasDuplicateObjects: false, lineWidth: 120 })}`,
    ]),
  );
}
