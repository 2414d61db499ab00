"""As much of Kubernetes' API as kubectl needs to make, list and delete the objects of a job, for
tests: a server on this host that keeps objects and refuses those that the schemas refuse."""
import http.server
import json
import threading
import urllib.parse

import k8s_schemas

# group/version: {plural: kind}
RESOURCES = {
    "v1": {"services": "Service", "secrets": "Secret", "pods": "Pod"},
    "apps/v1": {"statefulsets": "StatefulSet"},
    "batch/v1": {"jobs": "Job"},
    "kubeflow.org/v1": {"paddlejobs": "PaddleJob"},
}
NO_SCHEMA = ("PaddleJob",)


def _failure(code, reason, message):
    return code, {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
                  "reason": reason, "message": message, "code": code}


def _groups():
    groups = [{"name": gv.split("/")[0], "versions": [{"groupVersion": gv, "version": "v1"}],
               "preferredVersion": {"groupVersion": gv, "version": "v1"}}
              for gv in RESOURCES if "/" in gv]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}


def _resources(gv):
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": gv, "resources": [
        {"name": plural, "singularName": kind.lower(), "namespaced": True, "kind": kind,
         "verbs": ["create", "delete", "get", "list", "watch"]}
        for plural, kind in RESOURCES[gv].items()]}


def _open_api(gv):
    """That objects are checked here: kubectl then leaves it to us."""
    path = ("/apis/" if "/" in gv else "/api/") + gv
    group, _, version = gv.rpartition("/")
    paths = {}
    for plural, kind in RESOURCES[gv].items():
        paths["%s/namespaces/{namespace}/%s" % (path, plural)] = {"post": {
            "parameters": [{"name": "fieldValidation", "in": "query"}],
            "x-kubernetes-group-version-kind": {"group": group, "version": version, "kind": kind}}}
        # What kubectl looks for is the parameter of a patch.
        paths["%s/namespaces/{namespace}/%s/{name}" % (path, plural)] = {"patch": {
            "parameters": [{"name": "fieldValidation", "in": "query"}],
            "x-kubernetes-group-version-kind": {"group": group, "version": version, "kind": kind}}}
    return {"openapi": "3.0.0", "info": {"title": "test", "version": "1"}, "paths": paths}


class ApiServer(object):
    def __init__(self, version):
        self.version = version  # of the schemas
        self.objects = {}       # (namespace, plural, name): object
        self.requests = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _answer(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length)) if length else None
                url = urllib.parse.urlsplit(self.path)
                outer.requests.append((self.command, self.path))
                code, answer = outer.answer(self.command, url.path,
                                            urllib.parse.parse_qs(url.query), body)
                data = json.dumps(answer).encode()
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            do_GET = do_POST = do_DELETE = do_PATCH = _answer

            def log_message(self, *_):
                pass
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d" % self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, method, path, query, body):
        if path == "/version":
            return 200, {"major": "1", "minor": self.version.split(".")[1], "gitVersion": "test"}
        if path == "/api":
            return 200, {"kind": "APIVersions", "versions": ["v1"]}
        if path == "/apis":
            return 200, _groups()
        if path == "/openapi/v3":
            return 200, {"paths": {("apis/" if "/" in gv else "api/") + gv: {
                "serverRelativeURL": "/openapi/v3/" + gv} for gv in RESOURCES}}
        if path.startswith("/openapi/v3/") and path[12:] in RESOURCES:
            return 200, _open_api(path[12:])
        for gv in RESOURCES:
            root = ("/apis/" if "/" in gv else "/api/") + gv
            if path == root:
                return 200, _resources(gv)
            if path.startswith(root + "/namespaces/"):
                return self._objects(gv, method, path[len(root) + 12:].split("/"), query, body)
        return _failure(404, "NotFound", "%s is not here" % path)

    def _objects(self, gv, method, parts, query, body):
        namespace, plural = parts[:2]
        if plural not in RESOURCES[gv]:
            return _failure(404, "NotFound", "no %s" % plural)
        if method == "POST":
            return self._create(namespace, plural, body)
        if len(parts) == 2:
            return 200, self._list(gv, namespace, plural, query)
        key = (namespace, plural, parts[2])
        if key not in self.objects:
            return _failure(404, "NotFound", '%s "%s" not found' % (plural, parts[2]))
        found = self.objects[key]
        if method == "DELETE":
            del self.objects[key]
            return 200, {"kind": "Status", "apiVersion": "v1", "status": "Success"}
        return 200, found

    def _create(self, namespace, plural, body):
        name = body["metadata"]["name"]
        if (namespace, plural, name) in self.objects:
            return _failure(409, "AlreadyExists", '%s "%s" already exists' % (plural, name))
        if body["kind"] not in NO_SCHEMA:
            wrong = k8s_schemas.fault_in(body, self.version)
            if wrong:
                return _failure(422, "Invalid", wrong)
        body["metadata"].update(namespace=namespace, uid=name + "-uid")
        self.objects[namespace, plural, name] = body
        return 201, body

    def _list(self, gv, namespace, plural, query):
        wanted = dict(pair.split("=") for pair in
                      query.get("labelSelector", [""])[0].split(",") if pair)
        items = [o for (space, kind, _), o in self.objects.items()
                 if (space, kind) == (namespace, plural) and
                 wanted.items() <= o["metadata"].get("labels", {}).items()]
        return {"kind": RESOURCES[gv][plural] + "List", "apiVersion": gv,
                "metadata": {"resourceVersion": "1"}, "items": items}
