import { actionsFor } from '../../src/rules/access/actions.ts';
import type { OrgRole } from '../../src/rules/access/roles.ts';
import { AgentRoleKind, AgentWorkflowKind, type AgentRole, type AgentWorkflow } from '../../src/rules/agents/kinds.ts';
import type { Metadata } from '../../src/rules/resource.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { viewOf, viewSchema } from '../views.ts';

export const AgentRoleView = viewSchema(AgentRoleKind).openapi('AgentRole');
export const AgentWorkflowView = viewSchema(AgentWorkflowKind).openapi('AgentWorkflow');

const orgOf = ({ namespace }: Metadata): string => namespace.slice(orgNamespace('').length);

export const agentRoleView = (agentRole: AgentRole, role: OrgRole | undefined) =>
  viewOf(
    agentRole,
    orgOf(agentRole.metadata),
    actionsFor(role, [
      { name: 'replaceAgentRole', needs: 'org-admin' },
      { name: 'deleteAgentRole', needs: 'org-admin' },
    ]),
  );

export const agentWorkflowView = (agentWorkflow: AgentWorkflow, role: OrgRole | undefined) =>
  viewOf(
    agentWorkflow,
    orgOf(agentWorkflow.metadata),
    actionsFor(role, [
      { name: 'startRun', needs: 'member' },
      { name: 'replaceAgentWorkflow', needs: 'org-admin' },
      { name: 'deleteAgentWorkflow', needs: 'org-admin' },
    ]),
  );
