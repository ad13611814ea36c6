"""Paths of controllers of Spring and JAX-RS: that of the class before that of the method, GET requests alone."""

import pytest

from fairtrial_init.java_server import controller_paths

ITEMS = """
package shop;
import org.springframework.web.bind.annotation.*;

/** Items; and their parts. */
@RestController
@RequestMapping("/api/shops/{shop}/items")
public class ItemController {
    record Part(int id) { }

    @GetMapping
    public List<Item> all() { return service.all(); }

    @GetMapping("/{id}")
    public Item one(@PathVariable Long id) { return service.one(id); }

    @PostMapping("/new")
    public Item make(@RequestBody Item item) { return item; }

    @RequestMapping(value = "/count", method = RequestMethod.GET)
    public long count() { return 1; }

    @RequestMapping(path = "/gone", method = RequestMethod.DELETE)
    public void gone() { }
}

class Helper {
    @GetMapping("/never")
    void never() { }
}
"""
KOTLIN = """
@RestController
class Hello(val shop: Shop) {
    @GetMapping(value = ["/hello"], produces = ["text/plain"])
    fun hello() = "hello"
    @GetMapping("/by/{name}")
    fun by(@PathVariable name: String) = name
}

@RequestMapping(path = ["/kept"])
@RestController
class Kept {
    @GetMapping("/a")
    fun a() = "a"
}
"""
JAX_RS = """
@Path("/items")
public class Items {
    @GET
    @Produces(MediaType.APPLICATION_JSON)
    public List<Item> all() { return List.of(); }

    @Path("/{id}")
    @GET
    public Item one(@PathParam("id") int id) { return null; }

    @GET @Path("/count") public long count() { return 1; }

    @POST @Path("/new") public void make() { }
}
"""


@pytest.mark.parametrize(
    ("texts", "paths"),
    [
        (
            [ITEMS],
            ["/api/shops/{shop}/items", "/api/shops/{shop}/items/{id}", "/api/shops/{shop}/items/count"],
        ),
        ([KOTLIN], ["/hello", "/by/{name}", "/kept/a"]),
        ([JAX_RS], ["/items", "/items/{id}", "/items/count"]),
        ([KOTLIN, "server:\n  servlet:\n    context-path: /v1\n"], ["/v1/hello", "/v1/by/{name}", "/v1/kept/a"]),
        (["server.servlet.context-path=/v1", 'app.get("/plain", context -> {});'], ["/v1/plain"]),
        (["class Plain { }"], []),
    ],
)
def test_paths_of_classes_stand_before_those_of_methods(texts: list[str], paths: list[str]) -> None:
    assert sorted(controller_paths(texts)) == sorted(paths)
