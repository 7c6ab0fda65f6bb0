{{- define "service.name" -}}
{{ .Values.fullnameOverride | default "service" | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "service.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{ include "service.selector" . }}
{{- end }}

{{- define "service.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- /* The account of a worker. Agents and browsers handle untrusted content, so they share a process with nothing else. */ -}}
{{- define "service.workerAccount" -}}
{{- if has "agents" .queues -}}
{{- if gt (len .queues) 1 }}{{ fail "workers: a worker of the queue agents can serve no other queue" }}{{ end -}}
agents
{{- else if has "browser" .queues -}}
{{- if gt (len .queues) 1 }}{{ fail "workers: a worker of the queue browser can serve no other queue" }}{{ end -}}
browser
{{- else if has "backups" .queues -}}
{{- if gt (len .queues) 1 }}{{ fail "workers: a worker of the queue backups can serve no other queue" }}{{ end -}}
backups
{{- else -}}
worker
{{- end -}}
{{- end }}
