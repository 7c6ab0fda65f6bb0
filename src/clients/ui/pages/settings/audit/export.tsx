import { useMutation } from '@tanstack/react-query';
import type { AuditFilter } from '../../../api/queries/audit.ts';
import { downloadAudit } from '../../../api/download-audit.ts';
import { Button } from '../../../parts/button.tsx';
import { ProblemNotice } from '../../../parts/problem.tsx';

/** Saves all changes that meet the conditions as a file of JSON lines. */
export function Export({ org, filter }: { org: string | undefined; filter: AuditFilter }) {
  const save = useMutation({
    mutationFn: async () => await downloadAudit(org, filter),
    onSuccess: (file) => {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(file);
      link.download = `audit-${org ?? 'installation'}.jsonl`;
      link.click();
      URL.revokeObjectURL(link.href);
    },
  });
  return (
    <>
      <Button busy={save.isPending} onClick={() => save.mutate()}>
        Export as JSON lines
      </Button>
      {save.error && <ProblemNotice error={save.error} />}
    </>
  );
}
