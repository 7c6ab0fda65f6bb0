import { actionsFor } from '../../src/rules/access/actions.ts';
import type { OrgRole } from '../../src/rules/access/roles.ts';
import { AgentRoleKind, AgentWorkflowKind, type AgentRole, type AgentWorkflow } from '../../src/rules/agents/kinds.ts';
import { toOrgName } from '../../src/rules/resource.ts';
import { toView, viewSchema } from '../http/views.ts';

export const AgentRoleView = viewSchema(AgentRoleKind).openapi('AgentRole');
export const AgentWorkflowView = viewSchema(AgentWorkflowKind).openapi('AgentWorkflow');

export const toAgentRoleView = (agentRole: AgentRole, role: OrgRole | undefined) =>
  toView(
    agentRole,
    toOrgName(agentRole.metadata.namespace),
    actionsFor(role, [
      { name: 'replaceAgentRole', requiredRole: 'org-admin' },
      { name: 'deleteAgentRole', requiredRole: 'org-admin' },
    ]),
  );

export const toAgentWorkflowView = (agentWorkflow: AgentWorkflow, role: OrgRole | undefined) =>
  toView(
    agentWorkflow,
    toOrgName(agentWorkflow.metadata.namespace),
    actionsFor(role, [
      { name: 'startRun', requiredRole: 'member' },
      { name: 'replaceAgentWorkflow', requiredRole: 'org-admin' },
      { name: 'deleteAgentWorkflow', requiredRole: 'org-admin' },
    ]),
  );
