import { isDeepStrictEqual } from 'node:util';
import { type FieldError, ignoreNotFound, invalid } from '../errors.ts';
import { isReconciled } from '../rules/conditions.ts';
import { type Installation, InstallationKind, installationRef, InstallationSpec } from '../rules/installation/kinds.ts';
import { normalizeInstallation } from '../rules/installation/installation-violations.ts';
import type { ReconcileDeps } from './deps.ts';
import { parseSpec } from './parse-spec.ts';
import { reconcileSpec } from './reconcile-spec.ts';

/** Validates an Installation that was written to the store without the API, and keeps the settings of a valid one. */
export async function reconcileInstallation(deps: ReconcileDeps, installation: Installation): Promise<void> {
  await reconcileSpec(deps, InstallationKind, installation, {
    async assertValid() {
      parseSpec(InstallationKind, InstallationSpec, installation);
      const errors = listViolations(installation);
      if (errors.length > 0)
        throw invalid(errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; '), errors);
    },
  });
  // The mark of a valid one arrives as a change of its own.
  if (isReconciled(installation)) await recordAccepted(deps, installation);
}

const recordAccepted = async ({ store }: ReconcileDeps, { metadata, spec }: Installation): Promise<unknown> =>
  await store
    .updateStatus(InstallationKind, metadata, ({ status }) =>
      isDeepStrictEqual(status?.accepted, spec) ? undefined : { ...status, accepted: spec },
    )
    .catch(ignoreNotFound);

function listViolations({ metadata, spec }: Installation): FieldError[] {
  if (metadata.name !== installationRef.name)
    return [{ pointer: '/metadata/name', detail: `must be "${installationRef.name}": there is one Installation` }];
  const { platformDomain, managedDomainRoots } = normalizeInstallation(spec);
  return [
    ...(spec.platformDomain === platformDomain
      ? []
      : [{ pointer: '/spec/platformDomain', detail: `must be written as "${platformDomain}"` }]),
    ...managedDomainRoots.flatMap((root, index) =>
      spec.managedDomainRoots[index] === root
        ? []
        : [{ pointer: `/spec/managedDomainRoots/${index}`, detail: `must be written as "${root}"` }],
    ),
  ];
}
