import { AccessGroupKind, ApiTokenKind, UserKind } from './access/kinds.ts';
import { AgentRoleKind, AgentWorkflowKind } from './agents/kinds.ts';
import { TurnLedgerKind } from './agents/ledger-kinds.ts';
import { OrganizationKind, ProductKind } from './catalog/kinds.ts';
import { AgentWorkflowRunKind } from './changes/kinds.ts';
import { DomainKind } from './domains/kinds.ts';
import { DeliveryKind } from './intake/kinds.ts';
import { ReleaseKind } from './releases/kinds.ts';
import type { AnyResourceKind } from './resource.ts';

/** Every kind that is defined here, and has to be where resources live in a cluster. */
export const ownKinds: readonly AnyResourceKind[] = [
  AccessGroupKind,
  AgentRoleKind,
  AgentWorkflowKind,
  AgentWorkflowRunKind,
  ApiTokenKind,
  DeliveryKind,
  DomainKind,
  OrganizationKind,
  ProductKind,
  ReleaseKind,
  TurnLedgerKind,
  UserKind,
];
