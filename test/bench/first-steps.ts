import { Context } from '@temporalio/activity';

/** Tells when the first step of each workflow was entered. */
export class FirstSteps {
  readonly #enteredAt = new Map<string, number>();

  /** Called in an activity. */
  enter(): void {
    const id = Context.current().info.workflowExecution?.workflowId ?? '';
    if (!this.#enteredAt.has(id)) this.#enteredAt.set(id, performance.now());
  }

  of(workflowId: string): number {
    const at = this.#enteredAt.get(workflowId);
    if (at === undefined) throw new Error(`${workflowId} has entered no step.`);
    return at;
  }
}
