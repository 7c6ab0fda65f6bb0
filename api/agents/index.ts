import type { ApiDeps, App } from '../deps.ts';
import { createAgentRole } from './create-agent-role.ts';
import { createAgentWorkflow } from './create-agent-workflow.ts';
import { deleteAgentRole } from './delete-agent-role.ts';
import { deleteAgentWorkflow } from './delete-agent-workflow.ts';
import { deleteModelProvider } from './delete-model-provider.ts';
import { getAgentCosts } from './get-agent-costs.ts';
import { getAgentRole } from './get-agent-role.ts';
import { getAgentWorkflow } from './get-agent-workflow.ts';
import { getModelProvider } from './get-model-provider.ts';
import { listAgentRoles } from './list-agent-roles.ts';
import { listAgentWorkflows } from './list-agent-workflows.ts';
import { listModels } from './list-models.ts';
import { putAgentLimits } from './put-agent-limits.ts';
import { putModelPrices } from './put-model-prices.ts';
import { putModelProvider } from './put-model-provider.ts';
import { replaceAgentRole } from './replace-agent-role.ts';
import { replaceAgentWorkflow } from './replace-agent-workflow.ts';

export function agents(app: App, deps: ApiDeps): void {
  listAgentRoles(app);
  getAgentRole(app, deps);
  createAgentRole(app, deps);
  replaceAgentRole(app, deps);
  deleteAgentRole(app, deps);
  listAgentWorkflows(app);
  getAgentWorkflow(app, deps);
  createAgentWorkflow(app, deps);
  replaceAgentWorkflow(app, deps);
  deleteAgentWorkflow(app, deps);
  getModelProvider(app, deps);
  putModelProvider(app, deps);
  deleteModelProvider(app, deps);
  listModels(app, deps);
  putModelPrices(app, deps);
  getAgentCosts(app, deps);
  putAgentLimits(app, deps);
}
