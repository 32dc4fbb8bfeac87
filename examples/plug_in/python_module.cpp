// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// An extension module of Python over the same plug-in: rows.roots([1.0, 4.0], worker, plug_in).
// The workers load the plug-in alone. They are no Python, and start as fast.

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "rows.hpp"

#include <cstddef>
#include <new>
#include <vector>

namespace {

PyObject* roots(PyObject*, PyObject* arguments) try {
    PyObject* numbers = nullptr;
    const char* worker = nullptr;
    const char* plug_in = nullptr;
    if (!PyArg_ParseTuple(arguments, "O!ss", &PyList_Type, &numbers, &worker, &plug_in)) {
        return nullptr;
    }
    std::vector<double> in;
    for (Py_ssize_t i = 0; i < PyList_Size(numbers); ++i) {
        in.push_back(PyFloat_AsDouble(PyList_GetItem(numbers, i)));
    }
    if (PyErr_Occurred() != nullptr) {
        return nullptr;
    }
    std::vector<double> out(in.size());
    char error[200] = "";
    int status = 0;
    Py_BEGIN_ALLOW_THREADS; // Other threads of Python run meanwhile.
    status = rows_roots(in.data(), out.data(), in.size(), worker, plug_in, error, sizeof error);
    Py_END_ALLOW_THREADS;
    if (status != 0) {
        PyErr_SetString(PyExc_RuntimeError, error);
        return nullptr;
    }
    PyObject* result = PyList_New(static_cast<Py_ssize_t>(out.size()));
    for (std::size_t i = 0; result != nullptr && i < out.size(); ++i) {
        PyObject* const number = PyFloat_FromDouble(out[i]);
        if (number == nullptr) {
            Py_CLEAR(result); // No memory: the caller gets the error.
        } else {
            PyList_SET_ITEM(result, static_cast<Py_ssize_t>(i), number); // Takes the reference.
        }
    }
    return result;
} catch (const std::bad_alloc&) { // No exception may leave for a caller in C.
    return PyErr_NoMemory();
}

PyObject* count_deaths(PyObject*, PyObject*) {
    return PyLong_FromUnsignedLong(rows_deaths());
}

PyMethodDef functions[] = {
    {"roots", roots, METH_VARARGS, "The square roots of a list of numbers, by worker processes."},
    {"deaths", count_deaths, METH_NOARGS, "How many workers died in the last call of this thread."},
    {nullptr, nullptr, 0, nullptr}};
PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "rows", nullptr, -1, functions, nullptr, nullptr, nullptr, nullptr};

} // namespace

PyMODINIT_FUNC PyInit_rows() {
    return PyModule_Create(&module);
}
