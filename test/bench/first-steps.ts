import { Context } from '@temporalio/activity';

/** Records the time at which the first step of each workflow started. */
export class FirstSteps {
  readonly #enteredAt = new Map<string, number>();

  /** Must be called in an activity. */
  recordEntry(): void {
    const id = Context.current().info.workflowExecution?.workflowId ?? '';
    if (!this.#enteredAt.has(id)) this.#enteredAt.set(id, performance.now());
  }

  getEnteredAt(workflowId: string): number {
    const at = this.#enteredAt.get(workflowId);
    if (at === undefined) throw new Error(`${workflowId} has not started a step.`);
    return at;
  }
}
