import { parentPort, workerData } from 'node:worker_threads';
import { failureOf, LabDesk, type LabJob, type LabReply, type LabWorkerData } from './lab-review.ts';

if (parentPort !== null && (workerData as { readonly role?: string } | null)?.role === 'lab')
  serve(parentPort, workerData as LabWorkerData);

function serve(port: NonNullable<typeof parentPort>, { source, options }: LabWorkerData): void {
  const desk = new LabDesk(source, options);
  port.on('message', (job: LabJob) => {
    desk
      .work(job)
      .catch((error: unknown): LabReply => ({ kind: 'error', error: failureOf(error) }))
      .then((reply) => port.postMessage(reply));
  });
}
