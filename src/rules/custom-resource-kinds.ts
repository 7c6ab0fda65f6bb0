import { AccessGroupKind, ApiTokenKind, UserKind } from './access/kinds.ts';
import { AgentRoleKind, AgentWorkflowKind } from './agents/kinds.ts';
import { TurnLedgerKind } from './agents/ledger-kinds.ts';
import { BackupKind, RestoreKind } from './backups/kinds.ts';
import { CloudAccountKind } from './cloud-accounts/kinds.ts';
import { ClusterKind } from './clusters/kinds.ts';
import { OrganizationKind } from './orgs/kinds.ts';
import { ProductKind } from './products/kinds.ts';
import { AgentWorkflowRunKind } from './changes/kinds.ts';
import { DomainKind } from './domains/kinds.ts';
import { IdentityProviderKind } from './access/identity-provider.ts';
import { IncidentKind } from './incidents/kinds.ts';
import { InstallationKind } from './installation/kinds.ts';
import { DeliveryKind } from './intake/kinds.ts';
import { PromotionKind } from './promotions/kinds.ts';
import { ReleaseKind } from './releases/kinds.ts';
import type { AnyResourceKind } from './resource.ts';

/** Every kind of the service. Each has a CRD in `deploy/chart/crds`, which `npm run generate` writes. */
export const customResourceKinds: readonly AnyResourceKind[] = [
  AccessGroupKind,
  AgentRoleKind,
  AgentWorkflowKind,
  AgentWorkflowRunKind,
  ApiTokenKind,
  BackupKind,
  CloudAccountKind,
  ClusterKind,
  DeliveryKind,
  DomainKind,
  IdentityProviderKind,
  IncidentKind,
  InstallationKind,
  OrganizationKind,
  ProductKind,
  PromotionKind,
  ReleaseKind,
  RestoreKind,
  TurnLedgerKind,
  UserKind,
];
